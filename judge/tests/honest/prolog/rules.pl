:- module(rules, [first/2]).

first(Line, Move) :-
    sub_string(Line, Before, 9, _, "\"legal\":["),
    At is Before + 9,
    sub_string(Line, At, 1, _, Move).
