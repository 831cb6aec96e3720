# An extension image for CloudNativePG, from a folder that "packaging/release image" makes:
#
#	docker build -f packaging/extension-image.Dockerfile -t sitemap:18-bookworm build/release/extension-18-bookworm
FROM scratch
LABEL org.opencontainers.image.title="sitemap" \
	org.opencontainers.image.description="Search-engine sitemaps from SQL rows" \
	org.opencontainers.image.licenses="PostgreSQL AND MIT" \
	org.opencontainers.image.version="1.0.0" \
	org.opencontainers.image.authors="The sitemap developers" \
	org.opencontainers.image.url="https://pgxn.org/dist/sitemap/" \
	org.opencontainers.image.source="https://pgxn.org/dist/sitemap/"
COPY . /
USER 65532:65532
