/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* readers_table.c - a row a reader: a new one gets its row here */
#include "config.h"

#include "attack/readers.h"

#include <stddef.h>

#define RECORDED "/app/named/64/r20261121T023000Z-1.0/"
#define PLAN_APP                                                               \
    "plan --name app --ntasks 64 --nodelist n[0-7] "                           \
    "--tasks-per-node 8 --work 5 --topology torus:2x2x2 "
#define PLAN_RING                                                              \
    "plan --ntasks 16 --nodelist n[0-3] --tasks-per-node 4 "                   \
    "--work 3 --topology tree:2,2 "
#define RING      "fixtures/ring16.graph "
#define MAP_RING  "map " RING "--work 3 -o out/mapping "
#define EVAL_RING "eval " RING "--mapping fixtures/block.mapping "
#define NODES     "--nodelist n[0-3] --slots 4 -o out/mapping "

const struct reader readers[] = {
    {"graph",
     "golden/ring16.graph fuzz/corpus/graph/* recorded/ring/profile/*.graph",
     "in/graph",
     {"convert @ --to edges -o out/graph", "convert @ --to scotch",
      "convert @ --from metis --to mtx -o out/graph",
      "convert @ --from scotch --to edges -o out/graph",
      "convert @ --from dense --to dense -o out/graph",
      "convert @ --from mtx --tasks 4 --to metis -o out/graph",
      "convert @ --from edges --tasks 20 --to scotch -o out/graph",
      "convert @ --from npy --to npy -o out/graph",
      "convert @ --from graphml --to graphml -o out/graph",
      "convert @ --from ipm --to edges -o out/graph",
      "convert @ --from ompi-monitoring --to edges -o out/graph",
      "convert @ --from nccl-inspector --to edges -o out/graph",
      "map @ --topology torus:2x4 --slots 4 --work 3 -o out/mapping",
      "eval @ --topology flat:16 --slots 1 --json "
      "--mapping fixtures/block.mapping",
      PLAN_RING "--graph ./@ --write-graph out/graph", "profile grid @ --json",
      "profile import @ --name x --catalogue out/catalogue",
      "profile import @ --name x --ntasks 16 --catalogue out/catalogue"}},
    {"topology",
     "recorded/fat-tree/topology.conf fuzz/corpus/topology/* recorded/*/topology.* recorded/*/network* "
     "recorded/infiniband/ibnetdiscover.txt",
     "in/topology",
     {"topology show @", "topology show @ --all", "topology show @ --json",
      "topology check @ --nodes n[0-3]", "topology links @",
      "topology distance n0 n1 @", MAP_RING "--slots 16 --topology @",
      "select --topology @ --grid 4x4 --block 2x2 -o out/nodes",
      "layout --topology @ --lattice 4x4x4x4 --tasks-per-node 2",
      "plan --facts fixtures/facts --work 3 --format json --topology @"}},
    {"topology-word",
     NULL,
     NULL,
     {"topology show @", "topology show @ --json", "topology distance 0 1 @",
      MAP_RING "--slots 16 --topology @",
      "select --grid 4x4 --block 2x2 --topology @",
      "plan --facts fixtures/facts --work 3 --topology @"}},
    {"site",
     "fuzz/corpus/site/* recorded/*/topomap.json ../etc/topomap.json.example",
     "in/topomap.json",
     {"topology show --config @", "topology show --json --config @",
      "topology check --nodes n[0-3] --config @", "profile list --config @",
      "estimate " RING "--topology @ --tasks-per-node 4 --model ports",
      "play " RING "--topology @ --tasks-per-node 4 --json",
      "plan --facts fixtures/facts --work 3 --config @",
      PLAN_APP "--catalogue version/catalogue --config @"}},
    {"profile",
     "recorded/block/profile/profile.json recorded/*/profile/profile.json "
     "fuzz/corpus/profile/profile",
     "profile/catalogue" RECORDED "profile.json",
     {"profile list --catalogue profile/catalogue",
      "profile list --json --all-versions --catalogue profile/catalogue",
      "profile show name:app --catalogue profile/catalogue",
      "profile show name:app:64 --json --catalogue profile/catalogue",
      "profile graphs name:app --catalogue profile/catalogue",
      "profile grid name:app --catalogue profile/catalogue",
      "profile export name:app --graph weighted-sum -o out/graph "
      "--catalogue profile/catalogue",
      PLAN_APP "--catalogue profile/catalogue",
      PLAN_APP "--catalogue profile/catalogue --json --graph all",
      "plan --name app --ntasks 32 --nodelist n[0-3] --tasks-per-node 8 "
      "--work 3 --topology flat:4 --catalogue profile/catalogue",
      "map profile/catalogue" RECORDED " --topology flat:8 --slots 8 --work 3 "
      "-o out/mapping",
      "convert profile/catalogue" RECORDED " --to edges -o out/graph"}},
    {"packed",
     "fuzz/corpus/ustar/*",
     "in/packed",
     {"profile unpack @ --catalogue out/catalogue",
      "profile unpack @ --replace --catalogue out/catalogue"}},
    {"evaluation",
     "attack/seeds/evaluation.json fuzz/corpus/profile/evaluation",
     "evaluation/catalogue" RECORDED "evaluation.json",
     {PLAN_APP "--graph best --catalogue evaluation/catalogue",
      PLAN_APP "--json --catalogue evaluation/catalogue",
      "profile show name:app --catalogue evaluation/catalogue",
      "profile list --catalogue evaluation/catalogue"}},
    {"collectives",
     "recorded/block/profile/collectives recorded/*/profile/collectives "
     "fuzz/corpus/collectives/*",
     "collectives/catalogue" RECORDED "collectives",
     {"profile export name:app --graph all -o out/graph "
      "--catalogue collectives/catalogue",
      "profile export name:app --graph alltoall -o out/graph "
      "--catalogue collectives/catalogue",
      "profile export name:app --graph reduce -o out/graph "
      "--catalogue collectives/catalogue",
      PLAN_APP "--graph reduce --catalogue collectives/catalogue",
      "profile graphs name:app --catalogue collectives/catalogue"}},
    {"messages",
     "recorded/block/profile/messages recorded/*/profile/messages",
     "messages/catalogue" RECORDED "messages",
     {"draw matrix messages/catalogue" RECORDED " --by messages -o out/matrix",
      "draw matrix name:app:64 --graph p2p --by messages -o out/matrix "
      "--catalogue messages/catalogue",
      "draw profile messages/catalogue" RECORDED " -o out/calls",
      "report messages/catalogue" RECORDED " -o out/report"}},
    {"version-graph",
     "recorded/block/profile/*.graph fuzz/corpus/graph/*",
     "version/catalogue" RECORDED "p2p.graph",
     {PLAN_APP "--catalogue version/catalogue",
      PLAN_APP "--graph p2p --catalogue version/catalogue",
      "profile graphs name:app --catalogue version/catalogue",
      "profile grid name:app --graph p2p --catalogue version/catalogue",
      "profile export name:app -o out/graph --catalogue version/catalogue"}},
    {"facts",
     "attack/seeds/facts fuzz/corpus/plan/facts fuzz/corpus/plan/long-nodelist",
     "in/facts",
     {"plan --facts @ --work 3", "plan --facts @ --work 3 --format wire",
      "plan --facts @ --work 3 --json --graph grid:2x2",
      "plan --facts @ --work 3 --graph " RING
      "--topology torus:2x2 --format hostfile"}},
    {"plan-file",
     "attack/seeds/plan-file",
     "in/plan",
     {"plan --facts fixtures/facts --graph plan:@",
      "plan --facts fixtures/facts --graph plan:@ --to wire",
      "plan --ntasks 16 --nodelist n[0-3] --tasks-per-node 4 "
      "--graph plan:@ --to file"}},
    {"history",
     "attack/seeds/history",
     "in/history",
     {"history --log @", "history --log @ --json",
      "history 4711.0 --log @ --since 2020-01-01"}},
    {"mapping",
     "attack/seeds/mapping fuzz/corpus/mapping/* golden/cli-plan-*.txt golden/cli-map-*.txt "
     "recorded/ring/expected.hostfile recorded/ring/expected.rankfile",
     "in/mapping",
     {"eval " RING "--topology torus:2x2 --slots 4 --mapping @",
      "play " RING "--topology torus:2x2 --tasks-per-node 4 --mapping @",
      "eval " RING "--topology fixtures/named.conf --slots 4 --mapping @",
      "convert @ --to rankfile " NODES,
      "convert @ --from mapping --to hostfile " NODES,
      "convert @ --from hostfile --to rankfile " NODES,
      "convert @ --from rankfile --to mpich " NODES,
      "convert @ --from mpich --to mapping " NODES,
      "convert @ --from hostfile --to mapping -o out/mapping"}},
    {"rows",
     "attack/seeds/rows fuzz/corpus/rows/*",
     "rows/dump/commprof-1.rows",
     {"profile merge rows/dump --catalogue out/catalogue"}},
    {"hosts-file",
     "fuzz/corpus/hosts/numbers fuzz/corpus/hosts/* "
     "recorded/*/expected.hostfile",
     "in/hosts",
     {MAP_RING "--topology flat:8 --slots 8 --hosts @",
      MAP_RING "--topology fixtures/named.conf --slots 8 --hosts @",
      "select --topology mesh:4x4x1 --grid 2x2 --block 1x1 --hosts @"}},
    {"order",
     "attack/seeds/order fuzz/corpus/order/*",
     "in/order",
     {MAP_RING "--topology flat:4 --slots 4 "
               "--mapper greedymap:order=@,delta=all,pack=1,cost=hop"}},
    {"program",
     "fuzz/corpus/program/*",
     "in/program",
     {"plan --program @ --ntasks 64 --nodelist n[0-7] --tasks-per-node 8 "
      "--work 3 --topology flat:8 --catalogue version/catalogue",
      "profile recorder @", "profile show @",
      "profile import " RING "--program @ --catalogue out/catalogue"}},
    {"node-file",
     "recorded/*/node.xml",
     "in/node.xml",
     {MAP_RING "--topology flat:4 --slots 4 --node @",
      EVAL_RING "--topology flat:16 --slots 1 --node @",
      "plan --facts fixtures/facts --work 3 --node @"}},
    {"node",
     NULL,
     NULL,
     {MAP_RING "--topology flat:4 --slots 4 --node @",
      "plan --facts fixtures/facts --work 3 --node @"}},
    {"hosts",
     NULL,
     NULL,
     {"topology check fixtures/named.conf --nodes @",
      "convert fixtures/order.mpich --from mpich --to hostfile --slots 4 "
      "--nodelist @",
      "plan --graph grid:4x4 --ntasks 16 --tasks-per-node 4 --work 3 "
      "--topology flat:4 --nodelist @",
      "select --topology fixtures/named.conf --grid 2x2 --block 1x1 "
      "--exclude @",
      "grid 4x4 --per-node 2x2 --format hostfile --nodelist @"}},
    {"counts",
     NULL,
     NULL,
     {MAP_RING "--topology flat:4 --slots @",
      "plan --graph grid:4x4 --ntasks 16 --nodelist n[0-3] --work 3 "
      "--topology flat:4 --tasks-per-node @",
      PLAN_RING "--graph grid:4x4 --baseline @",
      "layout --topology mesh:2x2x1 --lattice 4x4x4x4 --tasks-per-node @"}},
    {"pattern",
     NULL,
     NULL,
     {"profile grid @", "profile grid @ --json",
      "map @ --topology torus:4x4 --slots 8 --work 2", PLAN_RING "--graph @"}},
    {"mapper",
     NULL,
     NULL,
     {MAP_RING "--topology torus:2x2 --slots 4 --mapper @"}},
    {"options", NULL, NULL, {NULL}},
};
const unsigned nreaders = sizeof(readers) / sizeof(*readers);
