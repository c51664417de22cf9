# The peer in Python: Scrapy with its queue on disk (JOBDIR) and a feed of JSON lines, as its own guide writes it.
# Started again with the same arguments it goes on, which is Scrapy's own way to resume.
#   python3 bench/throughput/graph_spider.py URL DIRECTORY CONCURRENCY [SETTINGS AS JSON]

import json
import os
import resource
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess


class GraphSpider(scrapy.Spider):
    name = "graph"

    async def start(self):
        # Through the filter of duplicates, which `start_urls` goes past: the first page is linked to as well.
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield {"title": response.css("title::text").get()}
        yield from response.follow_all(css="a[href]", callback=self.parse)


def peak_bytes():
    """The kernel's own high-water mark, as for the other contenders: see report-usage.js."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def write_usage(path):
    used = resource.getrusage(resource.RUSAGE_SELF)
    with open(path, "w") as file:
        json.dump({"cpuSeconds": used.ru_utime + used.ru_stime, "peakBytes": peak_bytes()}, file)


def main():
    url, directory, concurrency = sys.argv[1:4]
    settings = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
    allowed_domains = settings.pop("allowed_domains", None)
    process = CrawlerProcess(
        {
            "JOBDIR": os.path.join(directory, "job"),
            "FEEDS": {os.path.join(directory, "items.jsonl"): {"format": "jsonlines"}},
            "CONCURRENT_REQUESTS": int(concurrency),
            "CONCURRENT_REQUESTS_PER_DOMAIN": int(concurrency),
            "LOG_LEVEL": "ERROR",
            **settings,
        }
    )
    crawler = process.create_crawler(GraphSpider)
    begun = time.monotonic()
    process.crawl(crawler, url=url, allowed_domains=allowed_domains)
    process.start()
    seconds = time.monotonic() - begun
    pages = crawler.stats.get_value("response_received_count", 0)
    records = crawler.stats.get_value("item_scraped_count", 0)
    print(json.dumps({"pages": pages, "records": records, "seconds": seconds}))
    if "BENCH_USAGE_FILE" in os.environ:
        write_usage(os.environ["BENCH_USAGE_FILE"])


main()
