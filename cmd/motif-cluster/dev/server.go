package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqlplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	loopback    = "127.0.0.1"
	clusterName = "active"
	namespace   = "default"
)

// startServer starts a Temporal server in this process. It keeps its state in an SQLite file, and goes on from the state that it finds
// there. It listens at one address of this machine.
func startServer(file, ip string, port int) (temporal.Server, error) {
	ports, err := freePorts(ip, port)
	if err != nil {
		return nil, err
	}
	c := serverConfig(file, ip, ports)
	store := c.Persistence.DataStores[sqlplugin.PluginName].SQL
	if err := prepareFile(file, store); err != nil {
		return nil, fmt.Errorf("the server's file %s: %w", file, err)
	}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range c.Services { // fixed hosts, since a server that was killed leaves its own in the file
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(address(ip, service.RPC.GRPCPort))
	}
	server, err := temporal.NewServer(temporal.WithConfig(c), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log.NewNoopLogger()), temporal.WithDynamicConfigClient(settings()))
	if err != nil {
		return nil, err
	}
	return server, server.Start()
}

// settings change what the server does from its defaults, which are made for many hosts.
func settings() dynamicconfig.Client {
	value := func(v any) []dynamicconfig.ConstrainedValue { return []dynamicconfig.ConstrainedValue{{Value: v}} }
	return dynamicconfig.StaticClient{
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  value(1), // with more, a task may wait where no worker asks
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): value(1),
	}
}

// prepareFile makes the tables and the namespace in a new file.
func prepareFile(file string, store *config.SQL) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := sqlite.SetupSchema(store); err != nil {
			return err
		}
	}
	space, err := sqlite.NewNamespaceConfig(clusterName, namespace, false, nil)
	if err != nil {
		return err
	}
	return sqlite.CreateNamespaces(store, space)
}

// serverConfig is the configuration of a server of one process. ports are of frontend, history, matching and worker.
func serverConfig(file, ip string, ports []int) *config.Config {
	front := address(ip, ports[0])
	services := map[string]config.Service{}
	for i, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: ports[i], BindOnIP: ip}}
	}
	off := config.ArchivalNamespaceDefaults{History: config.HistoryArchivalNamespaceDefaults{State: "disabled"},
		Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"}}
	return &config.Config{
		Global: config.Global{Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: ip}},
		Persistence: config.Persistence{
			DefaultStore: sqlplugin.PluginName, VisibilityStore: sqlplugin.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqlplugin.PluginName: {SQL: &config.SQL{PluginName: sqlplugin.PluginName, DatabaseName: file,
				ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "normal"}}}},
		},
		ClusterMetadata: &cluster.Config{FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: front}}},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            services,
		Archival: config.Archival{History: config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"}},
		PublicClient:      config.PublicClient{HostPort: front},
		NamespaceDefaults: config.NamespaceDefaults{Archival: off},
	}
}

func address(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

// freePorts returns four ports that nobody listens on; the first is the given one unless that is 0.
func freePorts(ip string, first int) (ports []int, err error) {
	for i := range 4 {
		if i > 0 {
			first = 0
		}
		l, err := net.Listen("tcp", address(ip, first))
		if err != nil {
			return nil, err
		}
		defer l.Close() // when all four are known, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
