open Types

(* Plays a random step or camel. *)

type state = game_state

let camels_intersect one other =
  match (one, other) with
  | H (x, y), H (x', y') -> y = y' && abs (x - x') <= 1
  | V (x, y), V (x', y') -> x = x' && abs (y - y') <= 1
  | H at, V at' | V at, H at' -> at = at'

let inside cfg (x, y) = x >= 0 && y >= 0 && x < cfg.board_width && y < cfg.board_height

(* Whether nothing lies between a tile and its neighbour, and both are on the board. *)
let is_open cfg camels (x, y) (x', y') =
  let between = function
    | H (cx, cy) -> x = x' && cy = min y y' && (cx = x || cx = x - 1)
    | V (cx, cy) -> y = y' && cx = min x x' && (cy = y || cy = y - 1) in
  inside cfg (x', y') && not (List.exists between camels)

let add (x, y) (dx, dy) = (x + dx, y + dy)
let orthogonal = [ (0, -1); (0, 1); (-1, 0); (1, 0) ]
let goal cfg player = if player = 0 then cfg.board_height - 1 else 0

(* Whether orthogonal steps lead from a tile to a row, whoever stands in the way. *)
let reaches cfg camels row start =
  let rec search seen = function
    | [] -> false
    | (_, y) :: _ when y = row -> true
    | tile :: ahead ->
      let fresh next = is_open cfg camels tile next && not (List.mem next seen) in
      let next = List.filter fresh (List.map (add tile) orthogonal) in
      search (next @ seen) (next @ ahead) in
  search [ start ] [ start ]

let vectors =
  [ (Up, (0, -1)); (Down, (0, 1)); (Left, (-1, 0)); (Right, (1, 0)); (UpLeft, (-1, -1));
    (UpRight, (1, -1)); (DownLeft, (-1, 1)); (DownRight, (1, 1)) ]

(* Where a step or jump of the next player ends, if it is allowed. *)
let target cfg gst direction =
  let own = (List.nth gst.players gst.next_player).position in
  let other = (List.nth gst.players (1 - gst.next_player)).position in
  let is_open = is_open cfg gst.camels in
  let ((dx, dy) as step) = List.assoc direction vectors in
  let next = add own step in
  if dx <> 0 && dy <> 0 then
    let over side =
      add own side = other && is_open own other
      && (not (is_open other (add other side)))
      && is_open other next in
    if over (dx, 0) || over (0, dy) then Some next else None
  else if not (is_open own next) then None
  else if next <> other then Some next
  else if is_open next (add next step) then Some (add next step)
  else None

let is_valid_move cfg gst = function
  | Move direction -> target cfg gst direction <> None
  | Camel ((H (x, y) | V (x, y)) as camel) ->
    let way_home player { position; _ } =
      reaches cfg (camel :: gst.camels) (goal cfg player) position in
    (List.nth gst.players gst.next_player).current_camels > 0
    && inside cfg (x, y)
    && inside cfg (x + 1, y + 1)
    && (not (List.exists (camels_intersect camel) gst.camels))
    && List.for_all Fun.id (List.mapi way_home gst.players)

let list_valid_moves cfg gst =
  let tiles = List.init (cfg.board_width * cfg.board_height) Fun.id in
  let camels tile =
    let at = (tile mod cfg.board_width, tile / cfg.board_width) in
    [ Camel (H at); Camel (V at) ] in
  let all = List.map (fun (d, _) -> Move d) vectors @ List.concat_map camels tiles in
  List.filter (is_valid_move cfg gst) all

let has_won cfg gst =
  let last = 1 - gst.next_player in
  snd (List.nth gst.players last).position = goal cfg last

let apply_move cfg gst mv =
  let changed player =
    match mv with
    | Camel _ -> { player with current_camels = player.current_camels - 1 }
    | Move direction ->
      { player with position = Option.value (target cfg gst direction) ~default:player.position } in
  {
    camels = (match mv with Camel camel -> camel :: gst.camels | Move _ -> gst.camels);
    players = List.mapi (fun i p -> if i = gst.next_player then changed p else p) gst.players;
    next_player = 1 - gst.next_player;
  }

let pick random_supplier moves =
  let last = List.length moves - 1 in
  List.nth moves (min last (int_of_float (random_supplier () *. float_of_int (last + 1))))

(* Begin here: it runs ahead while it can, and knows nothing of camels. *)
let make_move random_supplier _time_supplier cfg gst =
  let distance gst' =
    abs (goal cfg gst.next_player - snd (List.nth gst'.players gst.next_player).position) in
  let moves = list_valid_moves cfg gst in
  let steps = List.filter (function Move _ -> true | Camel _ -> false) moves in
  let gains mv = distance (apply_move cfg gst mv) < distance gst in
  match List.filter gains steps, steps with
  | [], [] -> pick random_supplier moves
  | [], steps -> pick random_supplier steps
  | ahead, _ -> pick random_supplier ahead

let get_initial_state _random_supplier _time_supplier cfg =
  let start y = { position = (cfg.board_width / 2, y); current_camels = cfg.starting_camels } in
  { camels = []; players = [ start 0; start (cfg.board_height - 1) ]; next_player = 0 }

let make_move_state random_supplier time_supplier cfg moves gst =
  let gst = List.fold_left (apply_move cfg) gst moves in
  let mv = make_move random_supplier time_supplier cfg gst in
  (mv, apply_move cfg gst mv)
