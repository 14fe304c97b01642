complete -o default -o bashdefault -C /usr/bin/enlist enlist
