# An extension image for CloudNativePG, from the folder that "packaging/release image" makes:
#
#	docker build -f packaging/extension-image.Dockerfile -t sitemap-extension build/release/extension-18
FROM scratch
COPY . /
