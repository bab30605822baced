locals {
  apis = concat(
    [
      "artifactregistry.googleapis.com",
      "firestore.googleapis.com",
      "iam.googleapis.com",
      "logging.googleapis.com",
      "monitoring.googleapis.com",
      "pubsub.googleapis.com",
      "run.googleapis.com",
    ],
    local.vertex ? ["aiplatform.googleapis.com"] : [],
    local.vertex && local.openweather_secret == "" && local.brave_secret == "" ? [] : ["secretmanager.googleapis.com"],
    local.iap ? ["iap.googleapis.com"] : [],
    length(local.to_bigquery) == 0 ? [] : ["bigquery.googleapis.com"],
    length(local.balanced) == 0 ? [] : ["compute.googleapis.com"],
    var.feed == null ? [] : ["cloudscheduler.googleapis.com"],
    var.kms_key == "" ? [] : ["cloudkms.googleapis.com"],
    var.trace ? ["cloudtrace.googleapis.com", "telemetry.googleapis.com"] : [],
    var.billing_account == "" ? [] : ["billingbudgets.googleapis.com"],
  )
}

# APIs stay enabled after a destroy: others may use them. These two never change, so that
# data sources that need them depend on nothing else.
resource "google_project_service" "first" {
  for_each = toset(["cloudresourcemanager.googleapis.com", "storage.googleapis.com"])

  project            = var.project
  service            = each.key
  disable_on_destroy = false
}

resource "google_project_service" "apis" {
  for_each = toset(local.apis)

  project            = var.project
  service            = each.key
  disable_on_destroy = false

  depends_on = [google_project_service.first]
}

# Images are pushed here and deployed by digest. Cloud Run keeps a copy of the image it
# serves; a rollback needs the previous one, which the clean-up policy keeps. An image and
# its SBOM are two versions.
resource "google_artifact_registry_repository" "images" {
  project       = var.project
  location      = var.region
  repository_id = var.name_prefix
  description   = "Images of ${var.name_prefix}"
  format        = "DOCKER"
  kms_key_name  = local.kms_key

  cleanup_policies {
    id     = "delete-old"
    action = "DELETE"
    condition {
      tag_state  = "ANY"
      older_than = "2592000s" # 30 days
    }
  }
  cleanup_policies {
    id     = "keep-latest"
    action = "KEEP"
    most_recent_versions {
      keep_count = 20
    }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}
