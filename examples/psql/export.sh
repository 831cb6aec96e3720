#!/bin/bash
#
# Mirrors the files of a query into a directory of this machine:
#
#	examples/psql/export.sh 'TABLE site_files' /var/www/sitemaps
#
# psql connects to the database, which may be a standby.  The query has the columns
# name, kind, digest, lastmod and content, as a target of sitemap_publish does.  Only
# files whose digest changed are read and written.  A file's time is lastmod, so that
# machines agree on it.  Files that an earlier run wrote and that the query no longer
# has are removed.  Files that no run wrote are neither overwritten nor removed.
#
# The directory belongs to one site, and to the user who runs this script.
#
# The directory's list .sitemap_files has a name and a digest on each line, "-" while
# the file is replaced.  The last line of a name counts.
set -euo pipefail
if [ $# != 2 ]; then
	echo "usage: $0 QUERY DIRECTORY" >&2
	exit 2
fi
query=$1 directory=$2
list=.sitemap_files new=.sitemap_files.new

umask 022
mkdir -p "$directory"
cd "$directory"

fail()
{
	echo "$1" >&2
	exit 1
}

# Where another user can write, a link could lead to any file of ours.
if ! [ -O . ] || [ -n "$(find . -prune -perm -o=w)" ]; then
	fail "$directory belongs to another user, or every user can write to it"
fi
exec 9<.
flock -n 9 || fail "another run writes to $directory"
[ -e $list ] || [ -L $list ] || : >$list
if [ -L $list ] || ! [ -f $list ] || ! [ -O $list ]; then
	fail "the list $directory/$list is not a file of this user"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sql()
{
	psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=query="$query" "$@"
}

# Name and digest of the files that are there.
known()
{
	awk -F '\t' '{ digest[$1] = $2 } END { for (name in digest) if (digest[name] != "-") print name FS digest[name] }' $list |
		LC_ALL=C sort |
		while IFS=$'\t' read -r name digest; do
			if [ -f "./$name" ]; then printf '%s\t%s\n' "$name" "$digest"; fi
		done
}

note()
{
	printf '%s\t%s\n' "$1" "$2" >>$list
}

# check_changes: the names are those that sitemap_export writes, no program and nothing
# outside; each is there once; and no file of another program is replaced.
check_changes()
{
	if cat "$work/changed" "$work/gone" |
		LC_ALL=C grep -vE '^[^./\	][^/\	]*\.(xml|txt|css|xslt?)(\.gz)?	' >&2; then
		fail 'invalid file name'
	fi
	twice=$(cut -f 1 "$work/wanted" | LC_ALL=C sort | uniq -d | head -n 1)
	if [ -n "$twice" ]; then
		fail "the query has two files of the name $twice: select those of one base_url"
	fi
	while IFS=$'\t' read -r name _; do
		if [ -e "./$name" ] || [ -L "./$name" ]; then
			cut -f 1 $list | grep -qxF -e "$name" ||
				fail "$directory/$name is not in the list $list, so another program wrote it: rename it"
		fi
	done <"$work/changed"
}

# write NAME DIGEST TIME: fetch a file and put it in its place, if the query still has it
# with that digest.
write()
{
	rm -f $new
	sql --set=name="$1" --set=digest="$2" <<'SQL' | base64 -d >$new
COPY (SELECT translate(encode(content, 'base64'), E'\n', '')
        FROM (:query) f WHERE name = :'name' AND digest = :'digest') TO STDOUT;
SQL
	if ! [ -s $new ]; then
		has_changed=yes
		return
	fi
	if ! cmp -s $new "./$1"; then
		[ -z "$3" ] || TZ=UTC0 touch -t "$3" $new
		# caches must not take the new file for the old one
		[ $new -nt "./$1" ] || touch $new
		note "$1" -
		mv -f $new "./$1"
		echo "wrote $1"
	fi
	note "$1" "$2"
}

# One look at the set, then its files, the index last, then what is gone.  If the set
# changes meanwhile, has_changed is set, and nothing is removed.
round()
{
	sql >"$work/wanted" <<'SQL'
COPY (SELECT name, digest,
             CASE WHEN lastmod BETWEEN '1970-01-01 00:00Z' AND '2106-01-01 00:00Z'
                  THEN to_char(lastmod AT TIME ZONE 'UTC', 'YYYYMMDDHH24MI.SS') END
        FROM (:query) f
       WHERE digest IS NOT NULL
       ORDER BY kind = 'index', name) TO STDOUT (NULL '');
SQL
	[ -s "$work/wanted" ] || fail 'the query has no files'
	known >"$work/known"
	awk -F '\t' 'FILENAME == ARGV[1] { known[$1, $2]; next } !(($1, $2) in known)' \
		"$work/known" "$work/wanted" >"$work/changed"
	awk -F '\t' 'FILENAME == ARGV[1] { wanted[$1]; next } !($1 in wanted)' \
		"$work/wanted" "$work/known" >"$work/gone"
	check_changes

	while IFS=$'\t' read -r name digest time <&3; do
		write "$name" "$digest" "$time"
		[ $has_changed = no ] || return 0
	done 3<"$work/changed"
	while IFS=$'\t' read -r name digest; do
		rm -f "./$name"
		note "$name" -
		echo "removed $name"
	done <"$work/gone"
}

rounds=0 has_changed=yes
while [ $has_changed = yes ]; do
	rounds=$((rounds + 1))
	[ $rounds -le 10 ] || fail 'the files change faster than they are written'
	has_changed=no
	round
done
if [ -s "$work/changed" ] || [ -s "$work/gone" ]; then
	rm -f $list.tmp
	known >$list.tmp
	mv $list.tmp $list
fi
rm -f $new
