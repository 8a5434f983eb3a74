unit Rules;
interface
function First(line: AnsiString): Char;
implementation
function First(line: AnsiString): Char;
begin
  First := line[Pos('"legal":[', line) + 9];
end;
end.
