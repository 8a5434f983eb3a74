let first line =
  let rec find at = if String.sub line at 9 = "\"legal\":[" then line.[at + 9] else find (at + 1) in
  find 0
