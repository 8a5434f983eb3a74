-module(bot).
-export([main/0]).

main() ->
    case io:get_line("") of
        eof -> halt(0);
        Line -> answer(Line), main()
    end.

answer("{\"turn\"" ++ Rest) ->
    [_, [Move | _]] = string:split(Rest, "\"legal\":["),
    io:format("{\"move\":~c}~n", [Move]);
answer("{\"end\"" ++ _) -> ok;
answer(_) -> io:format("{\"ready\":{\"legal_moves\":true}}~n").
