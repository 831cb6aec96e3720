#!/bin/bash
#
# Brings a bucket up to date with a table of the files of one site, by digest:
#
#	examples/s3/upload.sh site_files site_uploaded s3://www.example.com
#
# The second table remembers the digest of each object in the bucket, '' while the
# object is replaced:
#
#	CREATE TABLE site_uploaded (name text PRIMARY KEY, digest text NOT NULL);
#
# Needs psql, base64, the AWS command line, the memory of one file and disk space for
# BATCH_MB megabytes of files (64).  CACHE_CONTROL is the objects' Cache-Control
# (max-age=600).  Set S3_ENDPOINT to the URL of a store that is not Amazon's.  The next
# run goes on where one was cut off.
set -euo pipefail
if [ $# != 3 ]; then
	echo "usage: $0 FILES UPLOADED BUCKET" >&2
	exit 2
fi
files=$1 uploaded=$2 bucket=${3%/}
batch_bytes=$((${BATCH_MB:-64} * 1024 * 1024))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# psql reads the list of a batch from here
export BATCH=$work/batch

sql()
{
	psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=files="$files" --set=uploaded="$uploaded" "$@"
}
s3()
{
	aws ${S3_ENDPOINT:+--endpoint-url "$S3_ENDPOINT"} s3 "$@" --only-show-errors
}

# Record the digests of the files in the batch, each line of which is a digest and a name.
record()
{
	sql <<'SQL'
\set batch `cat "$BATCH"`
INSERT INTO :"uploaded" (name, digest)
SELECT substr(line, strpos(line, ' ') + 1), split_part(line, ' ', 1)
  FROM regexp_split_to_table(:'batch', E'\n') line
ON CONFLICT (name) DO UPDATE SET digest = EXCLUDED.digest;
SQL
}

# Upload the files of the batch, which are of one type.
upload()
{
	local options=(--cache-control "${CACHE_CONTROL:-max-age=600}")

	[ -s "$work/names" ] || return 0
	case $batch in
		*txt*) options+=(--content-type 'text/plain; charset=utf-8') ;;
		*css*) options+=(--content-type text/css) ;;
		*) options+=(--content-type application/xml) ;;
	esac
	case $batch in
		*.gz) options+=(--content-encoding gzip) ;;
	esac
	# what the bucket has is not known until the upload has ended
	sed 's/^[^ ]*//' "$work/names" >"$BATCH"
	record
	s3 cp --recursive "$work/files/" "$bucket/" "${options[@]}"
	cp "$work/names" "$BATCH"
	record
	sed 's/^[^ ]* /uploaded /' "$work/names"
	rm -rf "$work/files" "$work/names"
	bytes=0
}

# One look at the set: the files whose digest the bucket does not have, by type, the
# index last, then the objects whose file is gone.  A file that has changed since is left
# to the next round, and so is the index.
round()
{
	sql >"$work/changes" <<'SQL'
COPY (SELECT CASE WHEN f.name IS NULL THEN 'gone' WHEN kind = 'index' THEN 'index' ELSE 'file' END AS step,
             substring(name FROM '(?:xml|txt|css)(?:\.gz)?$') AS type, name, f.digest
        FROM (SELECT name, kind, digest FROM :"files" WHERE digest IS NOT NULL) f
        FULL JOIN :"uploaded" u USING (name)
       WHERE u.digest IS DISTINCT FROM f.digest
       ORDER BY f.name IS NULL, kind = 'index', type DESC, name) TO STDOUT;
SQL
	if grep -E '^(file|index)	(\\|[^	]*	[^	]*[/\\])' "$work/changes" >&2; then
		echo 'invalid file name' >&2
		exit 1
	fi
	batch='' bytes=0
	while IFS=$'\t' read -r step type name digest <&3; do
		if [ "$step $type" != "$batch" ] || [ $bytes -ge $batch_bytes ]; then
			upload
		fi
		batch="$step $type"
		[ $has_changed = no ] || [ "$step" = file ] || return 0
		if [ "$step" = gone ]; then
			s3 rm "$bucket/$name"
			sql --set=name="$name" <<<"DELETE FROM :\"uploaded\" WHERE name = :'name';"
			echo "removed $name"
			continue
		fi
		mkdir -p "$work/files"
		sql --set=name="$name" --set=digest="$digest" <<'SQL' | base64 -d >"$work/files/$name"
COPY (SELECT translate(encode(content, 'base64'), E'\n', '')
        FROM :"files" WHERE name = :'name' AND digest = :'digest') TO STDOUT;
SQL
		if [ -s "$work/files/$name" ]; then
			echo "$digest $name" >>"$work/names"
			bytes=$((bytes + $(wc -c <"$work/files/$name")))
		else
			rm "$work/files/$name"
			has_changed=yes
		fi
	done 3<"$work/changes"
	upload
}

rounds=0 has_changed=yes
while [ $has_changed = yes ]; do
	rounds=$((rounds + 1))
	if [ $rounds -gt 10 ]; then
		echo 'the files change faster than they are uploaded' >&2
		exit 1
	fi
	has_changed=no
	round
done
