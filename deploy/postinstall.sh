#!/bin/sh
# Runs after the installation or an upgrade of a package.
set -e
getent group enlist >/dev/null || groupadd --system enlist
getent passwd enlist >/dev/null ||
	useradd --system --gid enlist --home-dir /var/lib/enlist --no-create-home --shell /usr/sbin/nologin enlist
install -d -o enlist -g enlist -m 0700 /var/lib/enlist
chgrp enlist /etc/enlist /etc/enlist/enlist.env
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart enlist.service # only if the service runs
fi
if [ ! -e /var/lib/enlist/enlist.db ]; then
	echo "Set the public URL and the mail server in /etc/enlist/enlist.env. Then run: systemctl enable --now enlist"
	echo "The first key is in the log: journalctl -u enlist"
fi
