# The balancer with Cloud Armor, and from where the API can be reached.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "a-project"
  region            = "europe-west1"
  image             = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  learn_from_search = false
  vertex_location   = "global"
}

run "balanced" {
  command = apply
  variables {
    balancer_domain = "whatis.example.com"
    public_api      = true
    max_usd_per_day = 5
    deployer        = "jo@example.com"
  }

  assert {
    condition     = { for name, s in google_cloud_run_v2_service.services : name => s.ingress } == { upload = "INGRESS_TRAFFIC_INTERNAL_ONLY", task = "INGRESS_TRAFFIC_INTERNAL_ONLY", api = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER" }
    error_message = "there is a way around the balancer"
  }
  assert {
    condition = { for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.name => e.value if contains(["CALLER_AUDIENCES", "TRUSTED_PROXIES"], e.name) } == {
      CALLER_AUDIENCES = "https://whatis-api-123456789012.europe-west1.run.app,https://whatis.example.com", TRUSTED_PROXIES = "1"
    }
    error_message = "behind the balancer all strangers are one caller, or tokens for its domain are refused"
  }
  assert {
    condition     = [for r in google_compute_global_forwarding_rule.balancer : "${r.name} ${r.port_range} ${r.load_balancing_scheme} ${r.target == google_compute_target_https_proxy.balancer["whatis.example.com"].id} ${r.ip_address == google_compute_global_address.balancer["whatis.example.com"].id}"] == ["whatis-api 443 EXTERNAL_MANAGED true true"] && [for a in google_compute_global_address.balancer : a.name] == ["whatis-api"]
    error_message = "the balancer does not listen at its address"
  }
  assert {
    condition     = [for p in google_compute_target_https_proxy.balancer : "${p.name} ${p.url_map == google_compute_url_map.balancer["whatis.example.com"].id} ${one(p.ssl_certificates) == google_compute_managed_ssl_certificate.balancer["whatis.example.com"].id}"] == ["whatis-api true true"]
    error_message = "the balancer has another certificate, or leads elsewhere"
  }
  assert {
    condition     = [for c in google_compute_managed_ssl_certificate.balancer : "${c.name} ${join(" ", c.managed[0].domains)}"] == ["whatis-${substr(sha256("whatis.example.com"), 0, 8)} whatis.example.com"]
    error_message = "the certificate is not of the domain"
  }
  assert {
    condition     = [for m in google_compute_url_map.balancer : "${m.name} ${m.default_service == google_compute_backend_service.balancer["whatis.example.com"].id}"] == ["whatis-api true"]
    error_message = "requests do not reach the backend"
  }
  assert {
    condition     = [for b in google_compute_backend_service.balancer : "${b.name} ${b.protocol} ${b.load_balancing_scheme} ${one(b.backend).group == google_compute_region_network_endpoint_group.balancer["whatis.example.com"].id} ${b.security_policy == google_compute_security_policy.balancer["whatis.example.com"].id}"] == ["whatis-api HTTPS EXTERNAL_MANAGED true true"]
    error_message = "requests do not reach the API, or pass Cloud Armor by"
  }
  assert {
    condition     = [for n in google_compute_region_network_endpoint_group.balancer : "${n.name} ${n.region} ${n.network_endpoint_type} ${n.cloud_run[0].service}"] == ["whatis-api europe-west1 SERVERLESS whatis-api"]
    error_message = "the balancer leads to another service"
  }
  assert {
    condition     = toset([for r in google_compute_security_policy.balancer["whatis.example.com"].rule : "${r.priority} ${r.action} ${r.match[0].versioned_expr} ${join(" ", r.match[0].config[0].src_ip_ranges)} ${join(" ", [for l in r.rate_limit_options : "${l.conform_action} ${l.exceed_action} ${l.enforce_on_key} ${l.rate_limit_threshold[0].count} ${l.rate_limit_threshold[0].interval_sec}"])} ${r.description}"]) == toset(["1000 throttle SRC_IPS_V1 * allow deny(429) IP 600 60 Requests of one address", "2147483647 allow SRC_IPS_V1 *  Everybody else"]) && google_compute_security_policy.balancer["whatis.example.com"].name == "whatis-api"
    error_message = "Cloud Armor lets one address flood the API, or refuses everybody"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "compute.googleapis.com")
    error_message = "the API of balancers is off"
  }
  assert {
    condition     = [for u in google_monitoring_uptime_check_config.api : u.monitored_resource[0].labels.host] == ["whatis.example.com"]
    error_message = "the probes ask an address that is closed to them"
  }
  assert {
    condition     = output.api_url == "https://whatis.example.com" && strcontains(output.next, "API_URL=https://whatis.example.com\n") && strcontains(output.next, "open to everybody: https://whatis.example.com\n") && output.balancer_address == google_compute_global_address.balancer["whatis.example.com"].address
    error_message = "the outputs name an address that is closed"
  }
}

run "as_told" {
  command = plan
  variables {
    balancer_domain              = "whatis.example.com"
    balancer_requests_per_minute = 60
    trusted_proxies              = 2
    api_ingress                  = "all"
  }

  assert {
    condition     = one([for r in google_compute_security_policy.balancer["whatis.example.com"].rule : r.rate_limit_options[0].rate_limit_threshold[0].count if r.priority == 1000]) == 60 && google_cloud_run_v2_service.services["api"].ingress == "INGRESS_TRAFFIC_ALL"
    error_message = "balancer_requests_per_minute or api_ingress is not used"
  }
  assert {
    condition     = [for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.value if e.name == "TRUSTED_PROXIES"] == ["2"]
    error_message = "trusted_proxies is not used"
  }
}

run "internal" {
  command = plan
  variables {
    api_ingress     = "internal"
    public_api      = true
    max_usd_per_day = 5
    deployer        = "jo@example.com"
  }

  assert {
    condition     = google_cloud_run_v2_service.services["api"].ingress == "INGRESS_TRAFFIC_INTERNAL_ONLY" && length(google_monitoring_uptime_check_config.api) == 0 && length(google_monitoring_alert_policy.away) == 0
    error_message = "an internal API can be reached from the internet, or is probed from there"
  }
}

run "unbalanced" {
  command = plan

  assert {
    condition     = length(google_compute_global_address.balancer) + length(google_compute_security_policy.balancer) + length(google_compute_backend_service.balancer) + length(google_compute_global_forwarding_rule.balancer) + length(google_compute_url_map.balancer) + length(google_compute_target_https_proxy.balancer) + length(google_compute_managed_ssl_certificate.balancer) + length(google_compute_region_network_endpoint_group.balancer) == 0 && !contains(keys(google_project_service.apis), "compute.googleapis.com")
    error_message = "there is a balancer that nobody asked for"
  }
}

run "refused" {
  command = plan
  variables {
    balancer_domain              = "https://whatis.example.com"
    balancer_requests_per_minute = 0
    trusted_proxies              = -1
  }
  expect_failures = [var.balancer_domain, var.balancer_requests_per_minute, var.trusted_proxies]
}

run "refused_ingress" {
  command = plan
  variables {
    api_ingress = "everybody"
  }
  expect_failures = [var.api_ingress]
}

run "no_way_through" {
  command = plan
  variables {
    balancer_domain = "whatis.example.com"
    api_ingress     = "internal"
  }
  expect_failures = [var.balancer_domain]
}
