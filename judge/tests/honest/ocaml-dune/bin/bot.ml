let starts prefix line = String.length line >= String.length prefix && String.sub line 0 (String.length prefix) = prefix

let () =
  try
    while true do
      let line = input_line stdin in
      if starts "{\"turn\"" line then Printf.printf "{\"move\":%c}\n%!" (Rules.first line)
      else if not (starts "{\"end\"" line) then print_endline "{\"ready\":{\"legal_moves\":true}}"
    done
  with End_of_file -> ()
