"""Runs OpenStack Swift with its S3 API in one process, with its disk in the folder, and prints its port."""
import os
import sys

import eventlet

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True, os=True)

from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402

folder = sys.argv[1]
kinds = ('account', 'container', 'object')
listening = {kind: eventlet.listen(('127.0.0.1', 0)) for kind in (*kinds, 'proxy')}


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = runcost\n[storage-policy:0]\nname = only\ndefault = yes\n')
utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')
utils.validate_hash_conf()
reload_storage_policies()
os.makedirs(os.path.join(folder, 'disk'))

for kind in kinds:
    builder = RingBuilder(1, 1, 1)
    at = listening[kind].getsockname()[1]
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': at, 'device': 'disk', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, kind + '.ring.gz'))

common = f'swift_dir = {folder}\ndevices = {folder}\nmount_check = false\nlog_level = ERROR\n'
for kind in kinds:
    write(
        kind + '.conf',
        f'[DEFAULT]\n{common}[pipeline:main]\npipeline = {kind}-server\n'
        f'[app:{kind}-server]\nuse = egg:swift#{kind}\n',
    )

write(
    'proxy.conf',
    f"""[DEFAULT]
{common}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
# The tests have a clock of their own.
allowable_clock_skew = 1000000000
# Parts may be small.
min_segment_size = 1
storage_domain = s3.example
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_acme_writer = secret-of-acme .admin
user_acme_guest = secret-of-guest
""",
)

for kind, socket in listening.items():
    app = loadapp(os.path.join(folder, kind + '.conf'))
    logger = utils.NullLogger()
    eventlet.spawn(eventlet.wsgi.server, socket, app, logger, protocol=SwiftHttpProtocol)

print('port', listening['proxy'].getsockname()[1], flush=True)
eventlet.sleep(86400)
