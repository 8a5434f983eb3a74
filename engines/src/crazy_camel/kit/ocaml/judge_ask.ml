(* Answers what `judge check` asks about single functions of your Assignment. *)

open Types
open Judge_wire
open Judge_moves

let player_of player =
  match field "position" player with
  | List [ x; y ] ->
    { position = (int x, int y); current_camels = int (field "camels" player) }
  | _ -> refuse "which has no position where one belongs"

let state_of state =
  { camels = Stdlib.List.map camel_of (items (field "camels" state));
    players = Stdlib.List.map player_of (items (field "players" state));
    next_player = int (field "next_player" state) }

let text_of_list text all = "[" ^ Stdlib.String.concat "," (Stdlib.List.map text all) ^ "]"

let text_of_player { position = (x, y); current_camels } =
  Stdlib.Printf.sprintf {|{"position":[%d,%d],"camels":%d}|} x y current_camels

let text_of_state { camels; players; next_player } =
  Stdlib.Printf.sprintf {|{"camels":%s,"players":%s,"next_player":%d}|}
    (text_of_list text_of_camel camels)
    (text_of_list text_of_player players)
    next_player

let call configuration ask =
  let state () = state_of (field "state" ask) and move () = move_of (field "move" ask) in
  match field "function" ask with
  | Text "camels_intersect" ->
    let camel name = camel_of (field name ask) in
    Stdlib.string_of_bool (Assignment.camels_intersect (camel "one") (camel "other"))
  | Text "is_valid_move" ->
    Stdlib.string_of_bool (Assignment.is_valid_move configuration (state ()) (move ()))
  | Text "list_valid_moves" ->
    text_of_list text_of (Assignment.list_valid_moves configuration (state ()))
  | Text "has_won" -> Stdlib.string_of_bool (Assignment.has_won configuration (state ()))
  | Text "apply_move" ->
    text_of_state (Assignment.apply_move configuration (state ()) (move ()))
  | _ -> refuse "which asks for no known function"

(* The beginning of a text as JSON has it. *)
let quoted text =
  let escaped = function
    | ('"' | '\\') as c -> Stdlib.Printf.sprintf "\\%c" c
    | c when c < ' ' -> Stdlib.Printf.sprintf "\\u%04x" (Stdlib.Char.code c)
    | c when c > '~' -> "?"
    | c -> Stdlib.String.make 1 c in
  let shown = Stdlib.String.sub text 0 (Stdlib.min 500 (Stdlib.String.length text)) in
  let parts = Stdlib.List.init (Stdlib.String.length shown) (Stdlib.String.get shown) in
  "\"" ^ Stdlib.String.concat "" (Stdlib.List.map escaped parts) ^ "\""

let reply configuration ask =
  match call configuration ask with
  | result -> answer (Stdlib.Printf.sprintf {|{"answer":%s}|} result)
  | exception failure ->
    answer (Stdlib.Printf.sprintf {|{"raised":%s}|} (quoted (Stdlib.Printexc.to_string failure)))
