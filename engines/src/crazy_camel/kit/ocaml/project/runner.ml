(* Lets your strategy play against itself and prints the game: dune exec runner/runner.exe
   It relies on the functions of the homework, and works once they are right. *)

open Types

let cfg = { board_width = 7; board_height = 7; starting_camels = 8 }
let plies_max = 128
let random_supplier () = Random.float 1.0
let time_supplier () = 10.0

let text_of_direction = function
  | Up -> "Up"
  | Down -> "Down"
  | Left -> "Left"
  | Right -> "Right"
  | UpLeft -> "UpLeft"
  | UpRight -> "UpRight"
  | DownLeft -> "DownLeft"
  | DownRight -> "DownRight"

let text_of = function
  | Move direction -> "Move " ^ text_of_direction direction
  | Camel (H (x, y)) -> Printf.sprintf "Camel (H (%d, %d))" x y
  | Camel (V (x, y)) -> Printf.sprintf "Camel (V (%d, %d))" x y

(* mine is the state of the player whose turn it is, theirs the other one's; moves are those that
   mine has not been told. *)
let rec play ply gst mine theirs moves =
  if ply >= plies_max then print_endline "a draw: too many moves"
  else
    let player = gst.next_player in
    let mv, mine = Assignment.make_move_state random_supplier time_supplier cfg moves mine in
    Printf.printf "%3d  player %d: %s\n" ply player (text_of mv);
    if not (Assignment.is_valid_move cfg gst mv) then
      Printf.printf "player %d has lost: the move is not valid\n" player
    else
      let gst = Assignment.apply_move cfg gst mv in
      if Assignment.has_won cfg gst then Printf.printf "player %d has won\n" player
      else play (ply + 1) gst theirs mine [ mv ]

let () =
  Random.self_init ();
  let start y = { position = (cfg.board_width / 2, y); current_camels = cfg.starting_camels } in
  let players = [ start 0; start (cfg.board_height - 1) ] in
  let initial () = Assignment.get_initial_state random_supplier time_supplier cfg in
  play 0 { camels = []; players; next_player = 0 } (initial ()) (initial ()) []
