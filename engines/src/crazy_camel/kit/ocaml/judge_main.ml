(* The judge's main for Crazy Camel: it turns the protocol's messages into calls of your
   Assignment. It is added when your submission is built; do not hand it in. *)

open Types
open Judge_wire
open Judge_moves

let configuration =
  let size name = int (field name (field "config" hello)) in
  { board_width = size "width"; board_height = size "height"; starting_camels = size "camels" }

let random = ref (Stdlib.Random.State.make [||])
let random_supplier () = Stdlib.Random.State.float !random 1.0

let left = ref infinity
let time_supplier () = Stdlib.max 0.0 (!left -. (now () -. !counted_from))

let begin_game start =
  let seed = match field "seed" start with Word digits -> digits | _ -> refuse "whose seed is no number" in
  let parts = Stdlib.List.init (Stdlib.String.length seed) (fun i -> Stdlib.(Char.code (String.get seed i))) in
  random := Stdlib.Random.State.make (Stdlib.Array.of_list parts);
  left := seconds (field "bank_us" (field "time" hello));
  Assignment.get_initial_state random_supplier time_supplier configuration

let take_turn seat turn state =
  left := seconds (field "left_us" (field "clock" turn));
  let theirs = function
    | List [ by; move ] -> if int by = seat then None else Some (move_of move)
    | _ -> refuse "whose moves are no pairs" in
  let moves = Stdlib.List.filter_map theirs (items (field "moves" turn)) in
  let move, state =
    Assignment.make_move_state random_supplier time_supplier configuration moves state in
  answer (Stdlib.Printf.sprintf {|{"move":%s%s}|} (text_of move) (Judge_note.take ()));
  state

let rec play seat state =
  match question () with
  | "start", start ->
    let state = begin_game start in
    answer {|{"ready":{}}|};
    play (int (field "seat" start)) (Some state)
  | "turn", turn ->
    (match state with
     | Some state -> play seat (Some (take_turn seat turn state))
     | None -> refuse "which comes before a start")
  | "ask", ask ->
    Judge_ask.reply configuration ask;
    play seat state
  (* The next game may follow. *)
  | "end", _ -> play seat state
  | _ -> refuse "whose message has no known name"

let () = play 0 None
