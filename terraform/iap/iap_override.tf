# Identity-Aware Proxy of the API, on with iap_members and off without. scripts/deploy
# copies this file beside the others, where Terraform merges it into services.tf; by
# hand: cp terraform/iap/iap_override.tf terraform/. It stands apart because the
# argument came with version 7 of the provider, and the tests run on the schema of 6.50.
resource "google_cloud_run_v2_service" "services" {
  iap_enabled = local.iap && each.key == "api"
}
