import std.algorithm, std.stdio;
import rules;

void main()
{
    foreach (line; stdin.byLineCopy)
    {
        if (line.startsWith(`{"turn"`))
            writeln(`{"move":`, first(line), `}`);
        else if (!line.startsWith(`{"end"`))
            writeln(`{"ready":{"legal_moves":true}}`);
        stdout.flush();
    }
}
