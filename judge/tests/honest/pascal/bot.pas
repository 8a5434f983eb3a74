program Bot;
uses Rules;
var line: AnsiString;
begin
  while not Eof do
  begin
    ReadLn(line);
    if Pos('{"turn"', line) = 1 then
      WriteLn('{"move":', First(line), '}')
    else if Pos('{"end"', line) <> 1 then
      WriteLn('{"ready":{"legal_moves":true}}');
    Flush(Output);
  end;
end.
