root=$1
mount -t tmpfs tmpfs "$root"
for folder in /bin /etc /lib /lib64 /usr /proc /dev /sys; do
  if [ -L "$folder" ]; then
    cp -P "$folder" "$root$folder"
  elif [ -d "$folder" ]; then
    mkdir "$root$folder" && mount --rbind "$folder" "$root$folder"
  fi
done
mkdir -m 1777 "$root/tmp"
mkdir "$root/here" && mount --bind "$2" "$root/here"
mkdir "$root/program" && mount --bind "$3" "$root/program"
shift 3
exec chroot "$root" /program/judge run --submissions /here/submissions --out /here/out "$@"
