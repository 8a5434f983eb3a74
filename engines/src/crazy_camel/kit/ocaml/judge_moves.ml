(* Moves of Crazy Camel as they stand in the protocol (protocol.md). *)

open Types
open Judge_wire

let directions =
  [ (Up, "up"); (Down, "down"); (Left, "left"); (Right, "right"); (UpLeft, "up-left");
    (UpRight, "up-right"); (DownLeft, "down-left"); (DownRight, "down-right") ]

let camel_of = function
  | Object [ (kind, List [ x; y ]) ] ->
    let at = (int x, int y) in
    (match kind with "h" -> H at | "v" -> V at | _ -> refuse ("in which " ^ kind ^ " is no camel"))
  | _ -> refuse "which has no camel where one belongs"

let move_of = function
  | Object [ ("step", Text name) ] ->
    (match Stdlib.List.find_opt (fun (_, known) -> known = name) directions with
     | Some (direction, _) -> Move direction
     | None -> refuse ("in which " ^ name ^ " is no step"))
  | Object [ ("camel", camel) ] -> Camel (camel_of camel)
  | _ -> refuse "which has no move where one belongs"

let text_of_camel = function
  | H (x, y) -> Stdlib.Printf.sprintf {|{"h":[%d,%d]}|} x y
  | V (x, y) -> Stdlib.Printf.sprintf {|{"v":[%d,%d]}|} x y

let text_of = function
  | Move direction ->
    Stdlib.Printf.sprintf {|{"step":"%s"}|} (Stdlib.List.assoc direction directions)
  | Camel camel -> Stdlib.Printf.sprintf {|{"camel":%s}|} (text_of_camel camel)
