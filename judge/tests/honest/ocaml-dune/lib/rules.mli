val first : string -> char
