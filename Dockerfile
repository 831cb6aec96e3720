# docker build --build-arg PG_MAJOR=18 -t postgres-sitemap .
ARG PG_MAJOR=18
FROM postgres:$PG_MAJOR
LABEL org.opencontainers.image.title="PostgreSQL with sitemap" \
	org.opencontainers.image.description="Search-engine sitemaps from SQL rows" \
	org.opencontainers.image.licenses="PostgreSQL" \
	org.opencontainers.image.version="1.0.0" \
	org.opencontainers.image.authors="The sitemap developers" \
	org.opencontainers.image.url="https://pgxn.org/dist/sitemap/" \
	org.opencontainers.image.source="https://pgxn.org/dist/sitemap/"
COPY . /tmp/sitemap
RUN /tmp/sitemap/docker/install && rm -rf /tmp/sitemap
