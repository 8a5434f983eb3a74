import std.string;

char first(string line)
{
    return line[line.indexOf(`"legal":[`) + 9];
}
