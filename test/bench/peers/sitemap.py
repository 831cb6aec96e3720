# The sitemap of the table page with Django's sitemap framework.
import gzip
import os
import sys

import django
from django.conf import settings

settings.configure(
    DATABASES={'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': os.environ['PGDATABASE'],
                           'USER': os.environ['PGUSER'], 'HOST': os.environ['PGHOST'], 'PORT': os.environ['PGPORT']}},
    INSTALLED_APPS=['django.contrib.sitemaps'], USE_TZ=True, TIME_ZONE='UTC',
    TEMPLATES=[{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True}])
django.setup()

from django.contrib.sitemaps import Sitemap
from django.core.paginator import Paginator
from django.db import models
from django.template.loader import render_to_string


class Page(models.Model):
    loc = models.TextField(primary_key=True)
    lastmod = models.DateTimeField()
    changefreq = models.TextField()
    priority = models.FloatField()

    class Meta:
        app_label, db_table, managed = 'page', 'page', False


class Site:
    domain = 'www.example.com'


class Pages(Sitemap):
    limit = 50000
    protocol = 'https'

    def items(self):
        return Page.objects.order_by('loc')

    def location(self, page):
        return page.loc.removeprefix('https://www.example.com')

    def lastmod(self, page):
        return page.lastmod

    def changefreq(self, page):
        return page.changefreq

    def priority(self, page):
        return page.priority


def write(name, text):
    with gzip.open(os.path.join(sys.argv[1], name), 'wt', compresslevel=6, encoding='utf-8') as file:
        file.write(text)


pages = Pages()
files = pages.paginator.num_pages
for number in range(1, files + 1):
    write(f'sitemap-{number}.xml.gz',
          render_to_string('sitemap.xml', {'urlset': pages.get_urls(page=number, site=Site, protocol='https')}))
write('sitemap.xml.gz', render_to_string('sitemap_index.xml', {
    'sitemaps': [f'https://www.example.com/sitemap-{number}.xml.gz' for number in range(1, files + 1)]}))
