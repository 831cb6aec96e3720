// The sitemap of the table page with Go's encoding/xml.
package main

import (
	"compress/gzip"
	"database/sql"
	"encoding/xml"
	"fmt"
	"os"
	"time"

	_ "github.com/lib/pq"
)

const head = `<?xml version="1.0" encoding="UTF-8"?><%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

type entry struct {
	XMLName    xml.Name
	Loc        string  `xml:"loc"`
	Lastmod    string  `xml:"lastmod,omitempty"`
	Changefreq string  `xml:"changefreq,omitempty"`
	Priority   *string `xml:"priority,omitempty"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// write makes one gzipped file of what entries passes to put.
func write(name, root string, entries func(put func(entry))) {
	file, err := os.Create(os.Args[1] + "/" + name)
	check(err)
	zip, _ := gzip.NewWriterLevel(file, 6)
	fmt.Fprintf(zip, head, root)
	encoder := xml.NewEncoder(zip)
	entries(func(e entry) { check(encoder.Encode(e)) })
	fmt.Fprintf(zip, "</%s>", root)
	check(zip.Close())
	check(file.Close())
}

func main() {
	db, err := sql.Open("postgres", "")
	check(err)
	rows, err := db.Query("SELECT loc, lastmod, changefreq, priority FROM page")
	check(err)
	n := 0
	more := rows.Next()
	for ; more; n++ {
		write(fmt.Sprintf("sitemap-%d.xml.gz", n+1), "urlset", func(put func(entry)) {
			for i := 0; i < 50000 && more; i++ {
				var lastmod time.Time
				var priority float64
				e := entry{XMLName: xml.Name{Local: "url"}}
				check(rows.Scan(&e.Loc, &lastmod, &e.Changefreq, &priority))
				e.Lastmod = lastmod.UTC().Format(time.RFC3339)
				text := fmt.Sprintf("%.1f", priority)
				e.Priority = &text
				put(e)
				more = rows.Next()
			}
		})
	}
	check(rows.Err())
	write("sitemap.xml.gz", "sitemapindex", func(put func(entry)) {
		for i := 1; i <= n; i++ {
			put(entry{XMLName: xml.Name{Local: "sitemap"},
				Loc: fmt.Sprintf("https://www.example.com/sitemap-%d.xml.gz", i)})
		}
	})
}
