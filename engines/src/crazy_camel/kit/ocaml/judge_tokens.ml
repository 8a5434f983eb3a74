(* Counts the tokens of OCaml sources with the compiler's own lexer, comments excluded. *)

let tokens path =
  let channel = open_in_bin path in
  let buffer = Lexing.from_channel channel in
  Lexer.init ();
  let rec count n = if Lexer.token buffer = Parser.EOF then n else count (n + 1) in
  let n = count 0 in
  close_in channel;
  n

let () =
  let paths = List.tl (Array.to_list Sys.argv) in
  Printf.printf "%d\n" (List.fold_left (fun sum path -> sum + tokens path) 0 paths)
