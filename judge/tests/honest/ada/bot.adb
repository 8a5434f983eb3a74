with Ada.Text_IO; use Ada.Text_IO;
with Rules;

procedure Bot is
begin
   while not End_Of_File loop
      declare
         Line : constant String := Get_Line;
      begin
         if Line (1 .. 6) = "{""turn" then
            Put_Line ("{""move"":" & Rules.First (Line) & "}");
         elsif Line (1 .. 5) /= "{""end" then
            Put_Line ("{""ready"":{""legal_moves"":true}}");
         end if;
         Flush;
      end;
   end loop;
end Bot;
