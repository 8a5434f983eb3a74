let first line =
  let at = Str.search_forward (Str.regexp_string "\"legal\":[") line 0 in
  line.[at + 9]
