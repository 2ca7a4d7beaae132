import type { Json } from "../sdk/json.ts";
import { describe } from "./fields.ts";

/** Every command that is called by its name alone, and is none of {@link NAMED_ONLY}. */
export const ALL_COMMANDS = "*";

/**
 * Commands that `*` does not mean, because whoever writes it seldom has them in mind: they delete, overwrite disks and
 * records, change who may do what, take machines down, or send and fetch. A list has to name them.
 */
const NAMED_ONLY = new Set(
  [
    "rm rmdir unlink shred truncate dd wipefs mkfs mkswap fdisk sfdisk parted mount umount losetup swapon swapoff",
    "shutdown halt reboot poweroff init telinit systemctl service kill killall pkill xkill",
    "sudo su doas pkexec runuser chroot unshare nsenter setpriv capsh chmod chown chgrp chattr setfacl setcap passwd",
    "useradd usermod userdel groupadd groupmod groupdel adduser deluser visudo crontab at batch",
    "iptables ip6tables nft firewall-cmd ufw ip ifconfig route sysctl modprobe insmod rmmod",
    "curl wget aria2c ssh scp sftp rsync ftp lftp telnet nc ncat netcat socat nmap mail sendmail dig nslookup host ping",
    "docker podman kubectl helm terraform ansible aws gcloud az gh heroku vercel",
    "apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper brew snap flatpak",
    "tar zip unzip 7z cpio ar split csplit install tee gpg openssl",
  ].flatMap((line) => line.split(" ")),
);

/** Whether `*` in a list of commands means this one. A path is never meant, because whatever lies there would run. */
export function isMeantByAll(name: string): boolean {
  return /^[\w.+[-]+$/u.test(name) && !NAMED_ONLY.has(name) && !name.startsWith("mkfs.");
}

/** What is wrong with an entry of a list of commands, if anything. */
export function commandFault(entry: Json): string | undefined {
  if (typeof entry === "string" && /^(?:\*|[\w./@+[\]:-]+)$/u.test(entry) && !entry.startsWith("-")) return undefined;
  return `expected the name of a command such as git, the path of one such as ./build.sh, or *, found ${describe(entry)}`;
}

/** The same for a list in which `*` would say nothing of anything. */
export function namedCommandFault(entry: Json): string | undefined {
  if (entry !== ALL_COMMANDS) return commandFault(entry);
  return "expected the name of a command: what is safe to run unasked has to be named";
}

/** What both lists mean. */
export function commonCommands(own: readonly Json[], above: readonly Json[]): readonly Json[] {
  const means = (list: readonly Json[], entry: Json): boolean =>
    list.includes(entry) || (list.includes(ALL_COMMANDS) && typeof entry === "string" && isMeantByAll(entry));
  return [...new Set([...own.filter((entry) => means(above, entry)), ...above.filter((entry) => means(own, entry))])];
}
