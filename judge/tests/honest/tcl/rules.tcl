proc first {line} {
    regexp {"legal":\[(\d+)} $line -> move
    return $move
}
