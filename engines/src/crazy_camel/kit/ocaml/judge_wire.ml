(* The protocol's lines (protocol.md). Linked before everything of the submission: it answers
   hello before the submission's own modules begin, so that their time is on their clock. It
   keeps the real standard streams for itself: what the submission prints goes to standard
   error, which its author gets to read, and its standard input is empty. *)

type json = Word of string | Text of string | List of json list | Object of (string * json) list

let questions = Unix.in_channel_of_descr (Unix.dup Unix.stdin)
let answers = Unix.out_channel_of_descr (Unix.dup Unix.stdout)

let () =
  Unix.dup2 (Unix.openfile "/dev/null" [ Unix.O_RDONLY ] 0) Unix.stdin;
  Unix.dup2 Unix.stderr Unix.stdout;
  Printexc.record_backtrace true

(* The line that is being answered. *)
let line = ref ""

(* Ends the program at a line that is not as protocol.md has it, and shows the line to the author. *)
let refuse why =
  Printf.eprintf "the kit cannot read this line, %s: %s\n%!" why !line;
  exit 2

let parse text =
  let at = ref 0 in
  let peek () = if !at < String.length text then text.[!at] else '\000' in
  let rec next () =
    match peek () with
    | ' ' | '\t' | '\r' | '\n' -> incr at; next ()
    | c -> c in
  let expect c =
    if next () <> c then refuse (Printf.sprintf "which has no %c at byte %d" c !at);
    incr at in
  let string () =
    expect '"';
    let start = !at in
    while !at < String.length text && peek () <> '"' do
      at := !at + if peek () = '\\' then 2 else 1
    done;
    if !at >= String.length text then refuse "in which a text does not end";
    incr at;
    String.sub text start (!at - 1 - start) in
  let items close item =
    incr at;
    let rec more found =
      let found = item () :: found in
      if next () = ',' then (incr at; more found) else (expect close; List.rev found) in
    if next () = close then (incr at; []) else more [] in
  let rec value () =
    match next () with
    | '{' -> Object (items '}' (fun () -> let key = string () in expect ':'; (key, value ())))
    | '[' -> List (items ']' value)
    | '"' -> Text (string ())
    | _ ->
      let start = !at in
      let in_word = function
        | ',' | ']' | '}' | ' ' | '\t' | '\r' | '\n' | '\000' -> false
        | _ -> true in
      while in_word (peek ()) do incr at done;
      if !at = start then refuse (Printf.sprintf "which has no value at byte %d" start);
      Word (String.sub text start (!at - start)) in
  let found = value () in
  if next () <> '\000' then refuse "which does not end with its message";
  found

let field name = function
  | Object fields ->
    (match List.assoc_opt name fields with Some value -> value | None -> refuse ("which lacks " ^ name))
  | _ -> refuse ("which has no object with " ^ name)

let items = function List all -> all | _ -> refuse "which has no list where one belongs"

let int = function
  | Word digits ->
    (match int_of_string_opt digits with
     | Some number -> number
     | None -> refuse ("in which " ^ digits ^ " is no whole number"))
  | _ -> refuse "which has no number where one belongs"

(* Microseconds as seconds; unlimited where the judge says null. *)
let seconds = function Word "null" -> infinity | time -> float_of_int (int time) /. 1e6

(* The clock counts CPU time from one answer to the next, or wall time from a question to its
   answer. *)
let counts_wall_time = ref false
let now () = if !counts_wall_time then Unix.gettimeofday () else Sys.time ()
let counted_from = ref (now ())

let answer line =
  flush stdout;
  output_string answers (line ^ "\n");
  flush answers;
  counted_from := now ()

(* The next message's name and content. The judge closes the stream after the last game. *)
let question () =
  match input_line questions with
  | text ->
    line := text;
    if !counts_wall_time then counted_from := now ();
    (match parse text with Object [ message ] -> message | _ -> refuse "which is no message")
  | exception End_of_file -> exit 0

let hello =
  match question () with
  | "hello", hello ->
    counts_wall_time :=
      (match hello with
       | Object fields -> List.assoc_opt "counts" fields = Some (Text "wall")
       | _ -> false);
    answer {|{"ready":{}}|};
    hello
  | _ -> refuse "which is no hello"
