# Serves the files of a target in Rails, with the route of doc/applications.md.  A client that
# already has the file gets status 304.
class SiteFile < ActiveRecord::Base
  default_scope { where(base_url: "https://www.example.com/").where.not(digest: nil) }
end

class SiteFilesController < ActionController::Base
  def show
    file = SiteFile.select(:name, :digest, :lastmod).find_by!(name: params[:name])
    inflate = file.name.end_with?(".gz") && !takes_gzip?
    response.headers.merge!("Vary" => "Accept-Encoding", "X-Robots-Tag" => "noindex")
    expires_in 10.minutes, public: true
    etag = inflate ? { weak_etag: file.digest } : { strong_etag: file.digest }
    return unless stale?(**etag, last_modified: file.lastmod)

    content = SiteFile.where(name: file.name).pick(:content)
    content = ActiveSupport::Gzip.decompress(content) if inflate
    response.headers["Content-Encoding"] = "gzip" if file.name.end_with?(".gz") && !inflate
    type = file.name.match?(/\.txt(\.gz)?\z/) ? "text/plain" : "application/xml"
    send_data content, type: type, disposition: "inline"
  end

  private

  def takes_gzip?
    request.headers["Accept-Encoding"].to_s.downcase.split(",").any? do |coding|
      name, weight = coding.split(";q=").map(&:strip)
      name == "gzip" && (weight.nil? || weight.to_f > 0)
    end
  end
end
