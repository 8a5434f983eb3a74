source rules.tcl
fconfigure stdout -buffering line
while {[gets stdin line] >= 0} {
    if {[string first "\{\"turn\"" $line] == 0} {
        puts "{\"move\":[first $line]}"
    } elseif {[string first "\{\"end\"" $line] != 0} {
        puts "{\"ready\":{\"legal_moves\":true}}"
    }
}
