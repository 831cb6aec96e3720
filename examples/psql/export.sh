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
# has are removed.
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
exec 9>.sitemap_files.lock
flock -n 9 || { echo "another run writes to $directory" >&2; exit 1; }
[ -e $list ] || : >$list
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

# write NAME DIGEST TIME: fetch a file and put it in its place, if the query still has it
# with that digest.
write()
{
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
	if ! [ -s "$work/wanted" ]; then
		echo 'the query has no files' >&2
		exit 1
	fi
	known >"$work/known"
	awk -F '\t' 'FILENAME == ARGV[1] { known[$1, $2]; next } !(($1, $2) in known)' \
		"$work/known" "$work/wanted" >"$work/changed"
	awk -F '\t' 'FILENAME == ARGV[1] { wanted[$1]; next } !($1 in wanted)' \
		"$work/wanted" "$work/known" >"$work/gone"
	# the names are those that sitemap_export writes: no program, nothing outside
	if LC_ALL=C grep -vE '^[^./\	][^/\	]*\.(xml|txt|css|xslt?)(\.gz)?	' "$work/changed" >&2; then
		echo 'invalid file name' >&2
		exit 1
	fi

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
	if [ $rounds -gt 10 ]; then
		echo 'the files change faster than they are written' >&2
		exit 1
	fi
	has_changed=no
	round
done
if [ -s "$work/changed" ] || [ -s "$work/gone" ]; then
	known >$list.tmp
	mv $list.tmp $list
fi
rm -f $new
