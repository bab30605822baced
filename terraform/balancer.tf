# A balancer of the API with Cloud Armor, with balancer_domain; without it nothing of this is
# made. With it the API's own address answers to nobody but the balancer: api_ingress.
#
#   client → address → forwarding rule → proxy (certificate) → URL map → backend (Armor) → API

locals {
  balanced = var.balancer_domain == "" ? [] : [var.balancer_domain]

  api_ingress = coalesce(var.api_ingress, length(local.balanced) == 0 ? "all" : "internal-and-cloud-load-balancing")
  # Where that is: at the balancer's domain, else at its own address, if at all.
  api_address = try("https://${local.balanced[0]}", google_cloud_run_v2_service.services["api"].uri)
  probed      = length(local.balanced) > 0 || local.api_ingress == "all"
}

resource "google_compute_global_address" "balancer" {
  for_each = toset(local.balanced)

  project = var.project
  name    = "${var.name_prefix}-api"

  depends_on = [google_project_service.apis]
}

resource "google_compute_region_network_endpoint_group" "balancer" {
  for_each = toset(local.balanced)

  project               = var.project
  region                = var.region
  name                  = "${var.name_prefix}-api"
  network_endpoint_type = "SERVERLESS"

  cloud_run {
    service = google_cloud_run_v2_service.services["api"].name
  }

  depends_on = [google_project_service.apis]
}

# One address gets 429 for what exceeds its share. The last rule is Armor's default, which it
# wants to be said.
resource "google_compute_security_policy" "balancer" {
  for_each = toset(local.balanced)

  project = var.project
  name    = "${var.name_prefix}-api"

  rule {
    action      = "throttle"
    priority    = 1000
    description = "Requests of one address"

    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"
      rate_limit_threshold {
        count        = var.balancer_requests_per_minute
        interval_sec = 60
      }
    }
  }
  rule {
    action      = "allow"
    priority    = 2147483647
    description = "Everybody else"

    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
  }

  depends_on = [google_project_service.apis]
}

resource "google_compute_backend_service" "balancer" {
  for_each = toset(local.balanced)

  project               = var.project
  name                  = "${var.name_prefix}-api"
  protocol              = "HTTPS"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  security_policy       = google_compute_security_policy.balancer[each.key].id

  backend {
    group = google_compute_region_network_endpoint_group.balancer[each.key].id
  }
}

resource "google_compute_url_map" "balancer" {
  for_each = toset(local.balanced)

  project         = var.project
  name            = "${var.name_prefix}-api"
  default_service = google_compute_backend_service.balancer[each.key].id
}

# Google issues it once the domain's A record is the address (output balancer_address). A
# certificate in use cannot be deleted, so that one of another domain has another name.
resource "google_compute_managed_ssl_certificate" "balancer" {
  for_each = toset(local.balanced)

  project = var.project
  name    = "${var.name_prefix}-${substr(sha256(each.key), 0, 8)}"

  managed {
    domains = [each.key]
  }

  lifecycle {
    create_before_destroy = true
  }

  depends_on = [google_project_service.apis]
}

resource "google_compute_target_https_proxy" "balancer" {
  for_each = toset(local.balanced)

  project          = var.project
  name             = "${var.name_prefix}-api"
  url_map          = google_compute_url_map.balancer[each.key].id
  ssl_certificates = [google_compute_managed_ssl_certificate.balancer[each.key].id]
}

resource "google_compute_global_forwarding_rule" "balancer" {
  for_each = toset(local.balanced)

  project               = var.project
  name                  = "${var.name_prefix}-api"
  target                = google_compute_target_https_proxy.balancer[each.key].id
  ip_address            = google_compute_global_address.balancer[each.key].id
  load_balancing_scheme = "EXTERNAL_MANAGED"
  port_range            = "443"
}
