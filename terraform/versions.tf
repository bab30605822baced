# whatis on Google Cloud:
#
#   photo → uploads bucket → topic uploads → Upload ─┐
#   POST /batches → API → topic tasks → Task ────────┼→ results bucket, Firestore, topic results
#   POST /analyze → API ─────────────────────────────┘
#
# One image, three Cloud Run services. A message that fails a hundred deliveries goes to
# the queue's dead-letter topic, which pushes to the same service, so that every photo
# gets a result, even if that says it failed.

terraform {
  # Validations that use several variables need 1.9.
  required_version = ">= 1.9"

  required_providers {
    # Exactly one version, instead of a lock file, which can only be made with access to
    # the registry: terraform -chdir=terraform providers lock
    # -platform=linux_amd64 -platform=darwin_arm64 writes one, to be committed then.
    google = {
      source  = "hashicorp/google"
      version = "7.45.0"
    }
  }

  # The bucket is named at init: -backend-config=bucket=… -backend-config=prefix=…
  backend "gcs" {}
}

provider "google" {
  project        = var.project
  region         = var.region
  default_labels = { app = var.name_prefix }
}
