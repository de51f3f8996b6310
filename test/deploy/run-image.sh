# Runs a program in the file system of an image as a container does: FOLDER is read-only, DATA is its only volume, the user has
# no rights, the network is its own. Usage: unshare --mount --net sh run-image.sh FOLDER DATA PROGRAM…
set -e
folder=$1 data=$2
shift 2
mount --bind "$folder" "$folder"
mount --bind "$data" "$folder/data"
mount -t proc proc "$folder/proc"
mount -t tmpfs tmpfs "$folder/tmp"
mount -t tmpfs tmpfs "$folder/dev"
for device in null zero random urandom; do
  touch "$folder/dev/$device"
  mount --bind "/dev/$device" "$folder/dev/$device"
done
mount -o remount,bind,ro "$folder"
ip link set lo up
exec chroot --userspec=10001:10001 "$folder" "$@"
