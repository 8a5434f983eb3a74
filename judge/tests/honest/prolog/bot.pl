:- use_module(rules).

main :-
    read_line_to_string(user_input, Line),
    (   Line == end_of_file
    ->  true
    ;   answer(Line), flush_output, main
    ).

answer(Line) :- string_concat("{\"turn\"", _, Line), !, first(Line, Move), format("{\"move\":~w}~n", [Move]).
answer(Line) :- string_concat("{\"end\"", _, Line), !.
answer(_) :- format("{\"ready\":{\"legal_moves\":true}}~n").
