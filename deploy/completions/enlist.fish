function __complete_enlist
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    /usr/bin/enlist
end
complete -f -c enlist -a "(__complete_enlist)"
