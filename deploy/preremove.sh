#!/bin/sh
# Runs before a package is removed or upgraded. Only a removal stops the service. The data in /var/lib/enlist stay.
set -e
case "$1" in
remove | 0) # Debian says remove, RPM says that 0 packages will be left
	if [ -d /run/systemd/system ]; then
		systemctl disable --now enlist.service
	fi
	;;
esac
