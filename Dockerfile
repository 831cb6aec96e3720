# docker build --build-arg PG_MAJOR=18 -t postgres-sitemap .
ARG PG_MAJOR=18
FROM postgres:$PG_MAJOR
COPY . /tmp/sitemap
RUN /tmp/sitemap/docker/install && rm -rf /tmp/sitemap
