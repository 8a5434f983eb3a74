(* Your strategy's words to you with its move: a line of text and marks on tiles. You and the
   staff see them beside the replay, nobody else does. It is added when your submission is built;
   do not hand it in. *)

let text = Buffer.create 80
let marks = Buffer.create 80
let count = ref 0

(* Whether the bytes of a text are UTF-8, as JSON must be. *)
let is_utf_8 text =
  let byte at = if at < String.length text then Char.code text.[at] else 0 in
  let rec follow at left = left = 0 || (byte at land 0xc0 = 0x80 && follow (at + 1) (left - 1)) in
  let rec check at =
    let next = byte (at + 1) in
    at >= String.length text
    || (match byte at with
        | c when c < 0x80 -> check (at + 1)
        | c when c >= 0xc2 && c < 0xe0 -> follow (at + 1) 1 && check (at + 2)
        | c when c land 0xf0 = 0xe0 && not (c = 0xe0 && next < 0xa0) && not (c = 0xed && next > 0x9f) ->
          follow (at + 1) 2 && check (at + 3)
        | c when c >= 0xf0 && c < 0xf5 && not (c = 0xf0 && next < 0x90) && not (c = 0xf4 && next > 0x8f) ->
          follow (at + 1) 3 && check (at + 4)
        | _ -> false) in
  check 0

(* Writes a text as JSON. *)
let quoted text =
  let json = Buffer.create (String.length text + 2) in
  let is_whole = is_utf_8 text in
  let add = function
    | '"' | '\\' as c -> Buffer.add_char json '\\'; Buffer.add_char json c
    | c when Char.code c < 0x20 -> Buffer.add_string json (Printf.sprintf "\\u%04x" (Char.code c))
    | c when Char.code c >= 0x80 && not is_whole -> Buffer.add_char json '?'
    | c -> Buffer.add_char json c in
  Buffer.add_char json '"';
  String.iter add text;
  Buffer.add_char json '"';
  Buffer.contents json

(* Says a line; a second one comes behind the first. *)
let note line =
  if Buffer.length text <= 1024 then begin
    if Buffer.length text > 0 then Buffer.add_char text ' ';
    Buffer.add_string text (String.sub line 0 (min 2048 (String.length line)))
  end

(* Marks a tile, if you like with a short label, or as strongly as this says, from 0 to 1. *)
let mark ?label ?strength (x, y) =
  incr count;
  if !count <= 256 then begin
    if Buffer.length marks > 0 then Buffer.add_char marks ',';
    Buffer.add_string marks (Printf.sprintf {|{"at":[%d,%d]|} x y);
    let short text = String.sub text 0 (min 64 (String.length text)) in
    Option.iter (fun text -> Buffer.add_string marks ({|,"label":|} ^ quoted (short text))) label;
    let fit strength = if strength >= 0. && strength <= 1. then strength else 2. in
    Option.iter (fun share -> Buffer.add_string marks (Printf.sprintf {|,"strength":%.2f|} (fit share))) strength;
    Buffer.add_char marks '}'
  end

(* For the kit: takes what was said, as the keys that follow the move. *)
let take () =
  let has buffer = Buffer.length buffer > 0 in
  let note = if has text then {|,"note":|} ^ quoted (Buffer.contents text) else "" in
  let all = if has marks then {|,"marks":[|} ^ Buffer.contents marks ^ "]" else "" in
  Buffer.clear text;
  Buffer.clear marks;
  count := 0;
  note ^ all
