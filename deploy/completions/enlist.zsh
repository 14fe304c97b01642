#compdef enlist
autoload -U +X bashcompinit && bashcompinit
complete -o default -o bashdefault -C /usr/bin/enlist enlist
