#!/bin/bash
#
# Brings a bucket up to date with a table of sitemap files, by digest:
#
#	examples/s3/upload.sh site_files site_uploaded s3://www.example.com
#
# The second table remembers the digest of each object in the bucket:
#
#	CREATE TABLE site_uploaded (name text PRIMARY KEY, digest text NOT NULL);
#
# Needs psql, awk, base64, the AWS command line, and disk space for the changed files.
# Set S3_ENDPOINT to the URL of a store that is not Amazon's.  The next run repeats
# what failed.
set -euo pipefail
if [ $# != 3 ]; then
	echo "usage: $0 FILES UPLOADED BUCKET" >&2
	exit 2
fi
files=$1 uploaded=$2 bucket=${3%/}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

sql()
{
	psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 \
		--set=files="$files" --set=uploaded="$uploaded" "$@"
}
s3()
{
	aws ${S3_ENDPOINT:+--endpoint-url "$S3_ENDPOINT"} s3 "$@" --only-show-errors
}

# One statement reads one set: the files whose digest the bucket does not have, and the
# names of objects whose file is gone.  Names become part of a shell command, so names
# with other characters are left out.
mkdir "$directory"/{xml,xml.gz,txt,txt.gz,index,gone}
sql <<'SQL' |
SELECT format(E'%s\t%s\t%s\t%s', CASE WHEN f.name IS NULL THEN 'gone'
                                      WHEN kind = 'index' THEN 'index'
                                      ELSE substring(name FROM '(?:xml|txt)(?:\.gz)?$') END,
              name, f.digest, translate(encode(content, 'base64'), E'\n', ''))
  FROM :"files" f FULL JOIN :"uploaded" u USING (name)
 WHERE u.digest IS DISTINCT FROM f.digest AND name ~ '^[A-Za-z0-9_~][A-Za-z0-9._~-]*$'
 ORDER BY name;
SQL
	awk -F '\t' -v directory="$directory" '{
		command = "base64 -d >" directory "/" $1 "/" $2
		print $4 | command
		if (close(command)) exit 1
		print $2 "\t" $3 >(directory "/" $1 ".list")
	}'

# upload GROUP [OPTION]...: upload the files of a group, and record them in the second table.
upload()
{
	[ -e "$directory/$1.list" ] || return 0
	s3 cp --recursive "$directory/$1/" "$bucket/" "${@:2}"
	sql <<-SQL
		CREATE TEMP TABLE done (name text, digest text);
		\copy done FROM '$directory/$1.list'
		INSERT INTO :"uploaded" SELECT * FROM done
		ON CONFLICT (name) DO UPDATE SET digest = EXCLUDED.digest;
	SQL
	sed 's/\t.*//; s/^/uploaded /' "$directory/$1.list"
}

# Upload the index after new files and before removing old ones, so that it never lists
# a file that is not there.
upload xml --content-type application/xml
upload xml.gz --content-type application/xml --content-encoding gzip
upload txt --content-type 'text/plain; charset=utf-8'
upload txt.gz --content-type 'text/plain; charset=utf-8' --content-encoding gzip
upload index --content-type application/xml
for file in "$directory"/gone/*; do
	[ -e "$file" ] || continue
	name=${file##*/}
	s3 rm "$bucket/$name"
	sql --set=name="$name" <<<"DELETE FROM :\"uploaded\" WHERE name = :'name';"
	echo "removed $name"
done
