return {
  first = function(line)
    return line:match('"legal":%[(%d+)')
  end,
}
