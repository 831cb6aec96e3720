# The sitemap of the table page with Ruby's Builder, which sitemap_generator uses.
require 'builder'
require 'pg'
require 'zlib'

def write(name, root)
  Zlib::GzipWriter.open("#{ARGV[0]}/#{name}", 6) do |file|
    xml = Builder::XmlMarkup.new(target: file)
    xml.instruct!
    xml.tag!(root, xmlns: 'http://www.sitemaps.org/schemas/sitemap/0.9') { yield xml }
  end
end

db = PG.connect
db.exec("DECLARE pages CURSOR WITH HOLD FOR SELECT loc, lastmod AT TIME ZONE 'UTC' AS lastmod, changefreq, priority FROM page")
n = 0
until (rows = db.exec('FETCH 50000 FROM pages')).ntuples.zero?
  write("sitemap-#{n += 1}.xml.gz", 'urlset') do |xml|
    rows.each do |row|
      xml.url do
        xml.loc row['loc']
        xml.lastmod "#{row['lastmod'].tr(' ', 'T')}Z"
        xml.changefreq row['changefreq']
        xml.priority format('%.1f', row['priority'].to_f)
      end
    end
  end
end
write('sitemap.xml.gz', 'sitemapindex') do |xml|
  (1..n).each { |i| xml.sitemap { xml.loc "https://www.example.com/sitemap-#{i}.xml.gz" } }
end
